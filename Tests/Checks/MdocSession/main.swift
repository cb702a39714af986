// The gate's side of mdoc sessions without a link, for phones of others: one JSON text a line in, one a line out. See `Conversation`.

var conversation = Conversation()
while let line = readLine() { print(conversation.answer(line)) }
