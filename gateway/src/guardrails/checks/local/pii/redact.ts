import type { Placeholders } from './placeholders.ts';
import type { Finding } from './scan.ts';

/** Findings between two looks at the clock. */
const CHUNK = 1_024;

/** The text with placeholders for what was found in it; `turn` is awaited between slices of the work. */
export async function replaceFindings(
  text: string,
  findings: readonly Finding[],
  { placeholders, turn }: { readonly placeholders: Placeholders; turn(): Promise<void> },
): Promise<string> {
  const slices: string[] = [];
  let from = 0;
  for (let first = 0; first < findings.length; first += CHUNK) {
    const pieces: string[] = [];
    for (const { category, start, end } of findings.slice(first, first + CHUNK)) {
      pieces.push(text.slice(from, start), placeholders.of(category, text.slice(start, end)));
      from = end;
    }
    slices.push(pieces.join(''));
    await turn();
  }
  return slices.join('') + text.slice(from);
}
