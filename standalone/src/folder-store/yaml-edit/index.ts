export { type Edit, editObject, type ObjectPlace, removeObject, UneditableText } from './edit.ts';
