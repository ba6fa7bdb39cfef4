/** Slugs of new objects, which are their names: docs/behaviour/management.md#slugs. */

const SUFFIX = 6;

interface SlugParts {
  /** Of the family, e.g. `pg-`. */
  readonly prefix: string;
  /** The name that people see. */
  readonly name: string;
  /** How many characters of the name are taken. */
  readonly length: number;
}

/** The beginning of the name with a random end, so that equal names make no equal slugs. */
export function newSlug({ prefix, name, length }: SlugParts, randomName: (length: number) => string): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  const stem = letters.slice(0, length + 1).replaceAll(/^-+|-+$/g, '');
  return [`${prefix}${stem.slice(0, length)}`.replace(/-+$/, ''), randomName(SUFFIX)]
    .filter((part) => part !== '')
    .join('-');
}
