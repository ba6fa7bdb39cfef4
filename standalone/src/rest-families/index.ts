/** Resources as the management API has them: which family a Kind has, and how its members are called there. */
export {
  type Body,
  type Credentials,
  type Family,
  MASK,
  type Missing,
  type Path,
  Refused,
  type View,
} from './family.ts';
export { FAMILIES, familyOf, findFamily } from './register.ts';
