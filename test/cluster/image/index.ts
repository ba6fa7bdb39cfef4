/** Images for test pods, built without a registry and without root. */
export type { DebianPackage } from './debian.ts';
export type { ImageFile, ImageFiles } from './files.ts';
export { buildImage, type ImageSpec, type Layer, writeLayer } from './image.ts';
export {
  IMAGE_NODE,
  IMAGE_USER,
  nodeRootEntries,
  nodeRootLayer,
  nodeRootPackages,
  type RootOptions,
} from './root-file-system.ts';
export { type TarEntry, tarBytes } from './tar.ts';
