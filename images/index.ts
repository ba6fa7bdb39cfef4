/** From sources to images. */

export {
  type ArchiveOptions,
  buildArchives,
  IMAGES,
  type ImageArchive,
  type ImageName,
  imageConfigOf,
} from './archives.ts';
export { bundleProgram, PROGRAMS, type ProgramName } from './bundle.ts';
export { type Builder, buildCommand, dockerfileOf, findBuilder, writeContext } from './context.ts';
export { checkLockFile, INSTALLED, readLockFile } from './lock-file.ts';
export { buildPostgresArchive, POSTGRES_IMAGE } from './postgres.ts';
export { buildRedisArchive, REDIS_IMAGE } from './redis.ts';
export { type Bom, type Component, packagesOf, toBom, writeBoms } from './sbom.ts';
export { buildStandaloneArchive } from './standalone-archive.ts';
