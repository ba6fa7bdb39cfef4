export {
  HEADER_ALIAS,
  isHeaderAlias,
  MAX_HEADER_ALIAS,
  MAX_HEADER_ALIASES,
  TAKEN_PREFIXES,
} from './header-aliases.ts';
export { HEADER_VALUE } from './header-value.ts';
