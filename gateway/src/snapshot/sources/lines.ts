/** The lines of a stream of bytes, without line breaks and without empty ones. Throws when a line is longer than allowed. */
export async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<string, void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]);
      if (line.length > maxBytes) throw new Error('a line of the stream is too long');
      parts = [];
      bytes = 0;
      from = end + 1;
      if (line.length > 0) yield line.toString('utf8');
    }
    const rest = chunk.subarray(from);
    bytes += rest.length;
    if (bytes > maxBytes) throw new Error('a line of the stream is too long');
    if (rest.length > 0) parts.push(rest);
  }
}

const LINE_FEED = 0x0a;

/** A whole body as text. Throws when it is longer than allowed. */
export async function readText(chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('the answer is too long');
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}
