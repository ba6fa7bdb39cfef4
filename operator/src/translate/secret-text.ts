import type { SecretData } from './world.ts';

/** An entry of a Secret without the line break that files end in; an empty one is none. */
export function textOf(data: SecretData, entry: string): string | undefined {
  const text = data.get(entry)?.replace(/[\r\n]+$/, '');
  return text === '' ? undefined : text;
}
