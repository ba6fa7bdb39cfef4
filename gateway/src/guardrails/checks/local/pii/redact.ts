import type { Placeholders } from './placeholders.ts';
import type { Finding } from './scan.ts';

/** The text with placeholders for what was found in it. */
export function replaceFindings(text: string, findings: readonly Finding[], placeholders: Placeholders): string {
  let result = '';
  let from = 0;
  for (const { category, start, end } of findings) {
    result += text.slice(from, start) + placeholders.of(category, text.slice(start, end));
    from = end;
  }
  return result + text.slice(from);
}
