/** Errors of OTLP over HTTP: a google.rpc.Status. Source: OpenTelemetry protocol specification, OTLP/HTTP response, failures. */

/** Numbers of google.rpc.Code by the status of HTTP. */
const CODES: ReadonlyMap<number, number> = new Map([
  [401, 16],
  [403, 7],
  [404, 5],
  [408, 4],
  [409, 10],
  [412, 9],
  [413, 8],
  [429, 8],
  [499, 1],
  [501, 12],
  [503, 14],
  [504, 4],
]);
const INVALID_ARGUMENT = 3;
const INTERNAL = 13;

const codeOf = (status: number): number => CODES.get(status) ?? (status >= 500 ? INTERNAL : INVALID_ARGUMENT);

export const statusObject = (message: string, status: number): object => ({ code: codeOf(status), message });

/** Fields 1 and 2 of the message. */
export function encodeStatus(message: string, status: number): Buffer {
  const text = Buffer.from(message);
  return Buffer.concat([Buffer.from([0x08, codeOf(status), 0x12, ...varint(text.length)]), text]);
}

function varint(value: number): readonly number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return [...bytes, left];
}
