type Metadata = Readonly<Record<string, string>>;

/** Longest name and value that are recorded, in characters. */
const MAX_CHARS = 128;
/** Members that are recorded. */
const MAX_MEMBERS = 64;
const NO_METADATA: Metadata = {};

/**
 * Metadata as it is recorded: names and values as texts, cut to 128 characters. Of more than 64 members the first ones
 * are kept: those of the key and the workspace come before the client's. `clean` gets texts before they are cut.
 */
export function boundMetadata(
  metadata: Readonly<Record<string, unknown>>,
  clean: (text: string) => string = asItIs,
): Metadata {
  const names = Object.keys(metadata);
  if (names.length === 0) return NO_METADATA;
  const out: Record<string, string> = Object.create(null); // names come from clients
  for (const name of names.slice(0, MAX_MEMBERS))
    out[boundText(clean(name))] = boundText(clean(toText(metadata[name])));
  return out;
}

/** As long as it is recorded. */
export const boundText = (text: string): string => text.slice(0, MAX_CHARS);

const toText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

const asItIs = (text: string): string => text;
