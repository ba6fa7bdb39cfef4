/** Version of the Snapshot schema: the same major is readable, a newer minor only adds fields. */
export interface SchemaVersion {
  readonly major: number;
  readonly minor: number;
}

export const SCHEMA_VERSION: SchemaVersion = { major: 1, minor: 0 };

/** Whether this build can load a Snapshot of the given version. */
export function isReadable(version: SchemaVersion): boolean {
  return version.major === SCHEMA_VERSION.major;
}
