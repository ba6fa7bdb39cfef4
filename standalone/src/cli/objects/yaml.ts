import { stringify } from 'yaml';

/** A document as people write it: long texts stay in one line, nothing is an alias. */
export const toYaml = (value: unknown): string =>
  stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 }).trimEnd();
