/** Keeps the World, and its translation, up to date with the cluster. */

export { type ContentCache, createContentCache } from './content-cache.ts';
export { contentLimits } from './content-limits.ts';
export {
  type CustomObject,
  kindRefOf,
  NAMESPACES,
  REFERENCE_GRANTS,
  type ReferenceGrantObject,
  SECRETS,
  SERVICE_ACCOUNTS,
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
