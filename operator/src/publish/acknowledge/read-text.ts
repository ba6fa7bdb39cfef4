/** The body of a pod's answer. Rejects when it is larger than `maxBytes`: a tenant may have written the pod. */
export async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('the answer of the pod is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
