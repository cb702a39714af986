// What LinkedData makes of documents, for comparison with another implementation: one JSON text a line in, one a line out.
//
// The first line is {"contexts": {url: document}}, each other one {"document": any, "algorithm": "sha256" or "sha384"}. Answers are in the order of
// the documents, one object each: "nquads" or the code as "error"; "jcs" or "jcsError"; and "dropped", an array of {"pointer", "reason"}.

var oracle = Oracle()
while let line = readLine() {
    guard let answer = oracle.answer(line) else { continue }
    print(answer)
}
