export { SECRET_REFERENCES } from './secret-references.ts';
