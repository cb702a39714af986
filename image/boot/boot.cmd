# Chooses a slot, counts its tries down and runs the script that came with it. This one is written at the factory and stays for good: it does no
# more than it must. @SCRATCH@ and @SCRIPT@ are addresses of the board's board.conf.
#
# The state is one sector at the start of the partition `bootstate`: an environment with a checksum, written by one write, so that a
# power cut leaves the old or the new one. A bad checksum gives the defaults: both slots, three tries each.
setenv state @SCRATCH@
part start ${devtype} ${devnum} 2 state_block
${devtype} dev ${devnum}
mw.b ${state} 0 0x200
if ${devtype} read ${state} ${state_block} 1; then env import -c ${state} 0x200 BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT; fi
test -n "${BOOT_ORDER}" || setenv BOOT_ORDER "A B"
test -n "${BOOT_A_LEFT}" || setenv BOOT_A_LEFT 3
test -n "${BOOT_B_LEFT}" || setenv BOOT_B_LEFT 3
setenv store 'mw.b ${state} 0 0x200; env export -c -s 0x200 ${state} BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT && ${devtype} write ${state} ${state_block} 1'
for slot in ${BOOT_ORDER}; do
  setenv try 0
  if test "${slot}" = "A" && test ${BOOT_A_LEFT} -gt 0; then setexpr BOOT_A_LEFT ${BOOT_A_LEFT} - 1; setenv try 1; setenv boot_part 3; fi
  if test "${slot}" = "B" && test ${BOOT_B_LEFT} -gt 0; then setexpr BOOT_B_LEFT ${BOOT_B_LEFT} - 1; setenv try 1; setenv boot_part 5; fi
  if test "${try}" = "1"; then
    run store
    echo "gatehouse-uboot: slot ${slot} (A ${BOOT_A_LEFT}, B ${BOOT_B_LEFT} left)"
    if load ${devtype} ${devnum}:${boot_part} @SCRIPT@ slot.scr; then source @SCRIPT@; fi
    echo "gatehouse-uboot: slot ${slot} did not start"
  fi
done
echo "gatehouse-uboot: no slot left, all tries again"
setenv BOOT_ORDER "A B"
setenv BOOT_A_LEFT 3
setenv BOOT_B_LEFT 3
run store
reset
