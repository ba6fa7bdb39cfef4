/** The saved inputs that the mutations start from; `corpus/README.md` describes their files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Seed {
  /** File name, to find it again. */
  readonly name: string;
  readonly bytes: Buffer;
}

type Values = Readonly<Record<string, string>>;

const CORPUS = join(import.meta.dirname, 'corpus');

/** The seeds of one folder, sorted by name. `values`: what replaces the placeholders. */
export function readCorpus(folder: 'requests' | 'bodies' | 'answers', values: Values = {}): readonly Seed[] {
  return readdirSync(join(CORPUS, folder))
    .sort()
    .map((name) => ({ name, bytes: toBytes(name, readFileSync(join(CORPUS, folder, name), 'utf8'), values) }));
}

function toBytes(name: string, text: string, values: Values): Buffer {
  if (name.endsWith('.b64')) return Buffer.from(text, 'base64');
  const filled = text.replace(/\{\{(\w+)\}\}/g, (whole, key: string) => values[key] ?? whole);
  return Buffer.from(name.endsWith('.http') ? toWire(filled) : filled.trimEnd());
}

/** LF becomes CRLF but in event streams; `content-length: auto` becomes the length of what follows the head. */
function toWire(text: string): string {
  const end = text.indexOf('\n\n');
  const head = text.slice(0, end).replaceAll('\n', '\r\n');
  const isStream = /^content-type: text\/event-stream/m.test(text);
  const rest = text.slice(end + 2);
  if (!head.includes('content-length: auto')) {
    return `${head}\r\n\r\n${isStream ? rest : rest.replaceAll('\n', '\r\n')}`;
  }
  const body = rest.trimEnd().replaceAll('\n', '\r\n');
  return `${head.replace('content-length: auto', `content-length: ${Buffer.byteLength(body)}`)}\r\n\r\n${body}`;
}
