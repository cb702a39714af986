// The gate's side of mdoc sessions without a link, for phones of others: one JSON text a line in, one a line out. See `Conversation`.

import Glibc

var conversation = Conversation()
while let line = readLine() {
    print(conversation.answer(line))
    // Whoever asks waits for the answer before he asks again.
    fflush(nil)
}
