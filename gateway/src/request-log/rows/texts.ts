/** JSON has it, and texts of PostgreSQL do not. */
const NUL = '\u0000';

/** A text of the client as rows keep it: cut, and storable everywhere. */
export function storableText(text: string, maxChars: number): string {
  const whole = text.includes(NUL) ? text.replaceAll(NUL, '') : text;
  return (whole.length > maxChars ? whole.slice(0, maxChars) : whole).toWellFormed();
}
