// Lists of issuers' roots (VICAL) for programs of others: one JSON text a line in, one a line out. See `ListReading`.

import Glibc

while let line = readLine() {
    print(ListReading.answer(line))
    // Whoever asks waits for the answer before he asks again.
    fflush(nil)
}
