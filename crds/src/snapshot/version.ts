/** Version of the document's meaning: same major = readable, a newer minor only adds. */
export interface SchemaVersion {
  readonly major: number;
  readonly minor: number;
}

export const SCHEMA_VERSION: SchemaVersion = { major: 1, minor: 0 };

/** Whether this build may load a document of the given version (DESIGN section 5). */
export function isReadable(version: SchemaVersion): boolean {
  return version.major === SCHEMA_VERSION.major;
}
