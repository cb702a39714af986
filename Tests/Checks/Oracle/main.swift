// What LinkedData and Credentials make of documents, for comparison with another implementation: one JSON text a line in, one a line out.
//
// {"contexts": {url: document}} and {"trust": folder} have no answer; they are for the lines that follow. Answers to all others are in
// their order: {"document": any, "algorithm": "sha256" or "sha384"} has "nquads" or the code as "error"; "jcs" or "jcsError"; and
// "dropped", an array of {"pointer", "reason"}. {"message": what a wallet sends, "at": seconds since 1970} has a verdict, see VerdictText.
// {"code": text of a code, "prefix", "at"} has one too, or {"ignored": why}, or {"engagement": true}.

var oracle = Oracle()
while let line = readLine() {
    guard let answer = oracle.answer(line) else { continue }
    print(answer)
}
