/** Where a peer takes requests, which are chat completions when nothing else is said, and the headers it needs. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** In closed loops `{key}` is replaced as in headers. */
  readonly path: string;
  /** Beside host, content type and length. A `{key}` in a value is replaced by a number from 1 to `keys`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly keys?: number;
  /** POST when absent. */
  readonly method?: 'GET' | 'PUT';
}

/** The header lines of a request with that body, in the order they are sent. */
export function headerLines({ host, port, headers }: Target, bodyBytes: number): readonly string[] {
  const all = { Host: `${host}:${port}`, 'Content-Type': 'application/json', 'Content-Length': bodyBytes, ...headers };
  return Object.entries(all).map(([name, value]) => `${name}: ${value}`);
}

/** The bytes of a whole request. */
export function requestBytes(target: Target, body: string): Buffer {
  const lines = headerLines(target, Buffer.byteLength(body)).map((line) => line.replace('{key}', '1'));
  return Buffer.from(`${target.method ?? 'POST'} ${target.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}
