/** The root file systems below the programs. */
export { type DebianPackage, debianTree, packagesIn } from './debian.ts';
export { intoUsr, isLibrary, mergedLinks } from './merged-usr.ts';
export {
  busyboxLinks,
  IMAGE_NODE,
  IMAGE_USER,
  nodeBinary,
  nodeLibraries,
  nodeRootEntries,
  nodeRootLayer,
  type RootOptions,
} from './node-root.ts';
export { packageDatabase, releasePackages } from './package-database.ts';
export { rootEntries, rootPackages, STATE_FOLDER } from './root-file-system.ts';
