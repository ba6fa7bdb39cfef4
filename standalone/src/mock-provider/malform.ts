import type { Controls } from './controls/index.ts';
import type { Frame } from './reply.ts';

type Malformed = NonNullable<Controls['malformed']>;

/** Half of the text, or the text with a byte that is not UTF-8. Only streams can have broken events. */
export function breakBody(how: Malformed, body: string | Buffer): string | Buffer {
  switch (how) {
    case 'json':
      return halve(body);
    case 'utf8':
      return breakCharacter(body);
    case 'sse':
      return body;
  }
}

/** Breaks the middle event and leaves the others as they are. */
export function breakFrames(how: Malformed, frames: readonly Frame[]): readonly Frame[] {
  const middle = Math.floor(frames.length / 2);
  return frames.map((frame, index) => (index === middle ? { ...frame, bytes: breakFrame(how, frame) } : frame));
}

function breakFrame(how: Malformed, { bytes, envelope }: Frame): string | Buffer {
  if (envelope !== undefined) return how === 'sse' ? halve(bytes) : envelope.encode(breakBody(how, envelope.payload));
  const blankLine = /(?:\r?\n){2}$/.exec(String(bytes))?.[0] ?? '';
  switch (how) {
    case 'json':
      return `${halve(bytes)}${blankLine}`;
    case 'utf8':
      return breakCharacter(bytes);
    case 'sse':
      return `${halve(bytes)}\n`;
  }
}

function halve(body: string | Buffer): string | Buffer {
  return body.slice(0, Math.ceil(body.length / 2));
}

/** Replaces the first small letter past the middle, which in JSON is most likely inside a string. */
function breakCharacter(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const isSmallLetter = (byte: number, at: number): boolean => at >= bytes.length / 2 && byte >= 0x61 && byte <= 0x7a;
  const at = bytes.findIndex(isSmallLetter);
  if (at >= 0) bytes[at] = 0xff; // a byte that no UTF-8 text has
  return bytes;
}
