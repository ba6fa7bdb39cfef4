/** Image archives in the OCI format, written without a registry, a daemon or root. */
export { entriesOf, entriesOfFolder, type ImageFile, type ImageFiles, withFolders } from './files.ts';
export { ARCHITECTURES, buildImage, type ImageSpec, type Layer, writeLayer } from './image.ts';
export { type TarEntry, tarBytes } from './tar.ts';
