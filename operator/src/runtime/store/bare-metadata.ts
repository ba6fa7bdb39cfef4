import type { ObjectMeta } from '../client/index.ts';

/** What is read of metadata that others may fill as they like. */
export interface MetadataWanted {
  readonly labels?: readonly string[];
  readonly annotations?: readonly string[];
  /** The owner that controls the object. */
  readonly owner?: boolean;
}

/** Longer annotations are cut. */
const MAX_ANNOTATION = 256;

/** Who an object is, how it stands, and what is wanted besides: at most a few kilobytes, whatever the object has. */
export function bareMetadata(metadata: ObjectMeta, wanted: MetadataWanted = {}): ObjectMeta {
  const { name, namespace, uid, generation, resourceVersion, creationTimestamp, deletionTimestamp } = metadata;
  const identity = { name, namespace, uid, generation, resourceVersion, creationTimestamp, deletionTimestamp };
  const labels = pick(metadata.labels, wanted.labels);
  const annotations = pick(metadata.annotations, wanted.annotations);
  const owners = metadata.ownerReferences?.filter(({ controller }) => wanted.owner === true && controller === true);
  return {
    ...(Object.fromEntries(
      Object.entries(identity).filter(([, value]) => value !== undefined),
    ) as unknown as typeof identity), // the name is always there
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(owners === undefined || owners.length === 0 ? {} : { ownerReferences: owners.slice(0, 1) }),
  };
}

function pick(
  texts: Readonly<Record<string, string>> | undefined,
  names: readonly string[] = [],
): Readonly<Record<string, string>> | undefined {
  const picked = names.flatMap((name) => {
    const text = texts !== undefined && Object.hasOwn(texts, name) ? texts[name] : undefined;
    return text === undefined ? [] : [[name, text.slice(0, MAX_ANNOTATION)] as const];
  });
  return picked.length === 0 ? undefined : Object.fromEntries(picked);
}
