import { createHash } from 'node:crypto';

/** JSON text as RFC 8785 defines it: members sorted by UTF-16 code units, no white space, ECMAScript numbers. */
export function canonicalJson(value: unknown): string {
  return isSorted(value) ? JSON.stringify(value ?? null) : render(value);
}

/** Whether all members are in order, as in entries of the operator: then the engine writes the same text, several times faster. */
function isSorted(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isSorted);
  let last = '';
  for (const [name, member] of Object.entries(value)) {
    if (name < last || !isSorted(member)) return false;
    last = name;
  }
  return true;
}

function render(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => render(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${render(member)}`);
  return `{${members.join(',')}}`;
}

/** Lower-case hex SHA-256 of the canonical JSON of a value. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
