/** Keeps the World, and its translation, up to date with the cluster. */
export { allowances } from './allowances.ts';
export { type Contents, createContents } from './contents.ts';
export {
  type CustomObject,
  kindRefOf,
  NAMESPACES,
  REFERENCE_GRANTS,
  type ReferenceGrantObject,
  SECRETS,
  type SecretObject,
} from './kind-refs.ts';
export {
  createTranslations,
  type PublishedBefore,
  type Translated,
  type Translations,
  type TranslationsOptions,
} from './translations.ts';
export { createLiveWorld, type KindStores, type LiveWorld, type LiveWorldOptions, type WorldStores } from './world.ts';
