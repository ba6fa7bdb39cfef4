import type { ObjectMeta } from '../client/index.ts';

/** Which of the free-form metadata is kept. */
export interface MetadataWanted {
  readonly labels?: readonly string[];
  readonly annotations?: readonly string[];
  /** The owner that controls the object. */
  readonly owner?: boolean;
}

/** Longer annotations are cut. */
const MAX_ANNOTATION = 256;

/**
 * Name, versions and timestamps of an object, and the wanted parts: at most a few kilobytes, whatever the object has.
 */
export function bareMetadata(metadata: ObjectMeta, wanted: MetadataWanted = {}): ObjectMeta {
  const { name, namespace, uid, generation, resourceVersion, creationTimestamp, deletionTimestamp } = metadata;
  const identity = { name, namespace, uid, generation, resourceVersion, creationTimestamp, deletionTimestamp };
  const labels = pick(metadata.labels, wanted.labels);
  const annotations = pick(metadata.annotations, wanted.annotations);
  const owners = metadata.ownerReferences?.filter(({ controller }) => wanted.owner === true && controller === true);
  return {
    ...(Object.fromEntries(
      Object.entries(identity).filter(([, value]) => value !== undefined),
    ) as unknown as typeof identity), // every object has a name
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
