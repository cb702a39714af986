# Read by build.sh and bundle.sh: whether a gate will believe the certificates of updates for as long as it is meant to. SWUpdate wants each
# to be valid by the gate's own clock, and a gate without one begins in the year 2000 (gatehouse-clock.service). CERTIFICATE_DAYS: how long
# they have to be valid from today on (365).

# certificate_lasts FILE WHAT: the certificate is valid from the year 2000 or earlier on and does not end soon.
certificate_lasts() {
    local file=$1 what=$2 days=${CERTIFICATE_DAYS:-365} begins
    [[ $days =~ ^[0-9]{1,5}$ ]] || { echo "CERTIFICATE_DAYS=$days: a number of days" >&2; return 2; }
    [ -e "$file" ] || { echo "$what: there is no file $file" >&2; return 2; }
    begins=$(openssl x509 -in "$file" -noout -startdate 2> /dev/null) || { echo "$what: $file is not a certificate (PEM)" >&2; return 2; }
    begins=$(date -u -d "${begins#*=}" +%s)
    if [ "$begins" -gt 946684800 ]; then
        echo "$what: $file is valid from $(date -u -d "@$begins" +%Y-%m-%d) on; a gate without a clock begins in the year 2000 and would refuse every update." \
            'Issue it with a notBefore of 2000-01-01 or earlier (docs/updates.md).' >&2
        return 2
    fi
    if ! openssl x509 -in "$file" -noout -checkend $((days * 86400)) > /dev/null; then
        echo "$what: $file $(openssl x509 -in "$file" -noout -enddate | sed 's/notAfter=/ends /'), in less than $days days; gates refuse every update from then on." \
            'Issue one that lasts, or set CERTIFICATE_DAYS.' >&2
        return 2
    fi
}

# signature_lasts SIGNATURE CONTENT [ROOT]: the certificates in a CMS signature (DER) last, and under the root's certificate, if there is
# one here, a gate in the year 2000 believes the signature.
signature_lasts() {
    local signature=$1 content=$2 root=${3:-} work one status=0
    work=$(mktemp -d)
    openssl cms -cmsout -inform DER -in "$signature" -certsout "$work/all.pem" -noout 2> /dev/null || true
    [ ! -s "$work/all.pem" ] || csplit -s -z -f "$work/one." "$work/all.pem" '/-BEGIN CERTIFICATE-/' '{*}'
    # The signer's has to be in it: a gate has the root's alone.
    [ -e "$work/one.00" ] || { echo 'the signature holds no certificate of its signer; a gate cannot verify it' >&2; status=2; }
    for one in "$work"/one.*; do
        [ ! -e "$one" ] || certificate_lasts "$one" "signer $(openssl x509 -in "$one" -noout -subject 2> /dev/null)" || status=2
    done
    if [ $status = 0 ] && [ -n "$root" ] && ! openssl cms -verify -binary -inform DER -in "$signature" -content "$content" -CAfile "$root" -attime 946684800 \
        -out /dev/null 2> "$work/log"; then
        echo "the signature does not hold under $root:" >&2
        sed -n 's/.*\(error\|Error\)[: ]*/  /p' "$work/log" | tail -n 1 >&2
        status=2
    fi
    rm -rf "$work"
    return $status
}
