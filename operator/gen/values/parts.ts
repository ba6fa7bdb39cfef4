/** Building blocks of the chart's values: every leaf has a description, a default and an example. */
import { z } from 'zod';

/** A value of the chart. `example` differs from the default and is what the chart's test sets. */
export interface Leaf {
  readonly description: string;
  readonly fallback: unknown;
  readonly example: unknown;
  readonly schema: z.ZodType;
}

/** Values that belong together. */
export interface Section {
  readonly description: string;
  /** Texts that are only given together with another text of the section, by their names. */
  readonly needs?: Readonly<Record<string, string>>;
  readonly members: Members;
}

export type Members = Readonly<Record<string, Leaf | Section>>;

export const isLeaf = (member: Leaf | Section): member is Leaf => 'schema' in member;

export const section = (description: string, members: Members, needs: Section['needs'] = {}): Section => ({
  ...{ description, members, needs },
});

/** A value: its schema, `[default, example]` and description. */
export const leaf = (
  schema: z.ZodType,
  [fallback, example]: readonly [fallback: unknown, example: unknown],
  description: string,
): Leaf => ({ schema, fallback, example, description });

const MAX_TEXT = 1024;
const MAX_ITEMS = 100;

const shortText = z.string().max(MAX_TEXT);

export const flag = (fallback: boolean, description: string): Leaf =>
  leaf(z.boolean(), [fallback, !fallback], description);

export const text = (values: readonly [fallback: string, example: string], description: string): Leaf =>
  leaf(shortText, values, description);

export const choice = (
  options: readonly [string, ...string[]],
  values: readonly [fallback: string, example: string],
  description: string,
): Leaf => leaf(z.enum(options), values, description);

export const int = (
  [min, max]: readonly [number, number],
  values: readonly [fallback: number, example: number],
  description: string,
): Leaf => leaf(z.int().min(min).max(max), values, description);

export const texts = (example: readonly string[], description: string): Leaf =>
  leaf(z.array(shortText.min(1)).max(MAX_ITEMS), [[], example], description);

export const textMap = (example: Readonly<Record<string, string>>, description: string): Leaf =>
  leaf(z.record(z.string().min(1).max(316), shortText), [{}, example], description);

/** A part of a Kubernetes object that is copied into the template; the API server validates it. */
export const objectOf = (fallback: unknown, example: unknown, description: string): Leaf =>
  leaf(z.record(z.string(), z.unknown()), [fallback, example], description);

/** A list of such parts. */
export const objects = (example: readonly unknown[], description: string): Leaf =>
  leaf(z.array(z.record(z.string(), z.unknown())).max(MAX_ITEMS), [[], example], description);

/** The entry of a Secret; empty for none. */
export const secretEntry = (description: string, example = { name: 'redis', key: 'url' }): Leaf =>
  leaf(
    z.strictObject({ name: z.string().max(253).optional(), key: z.string().max(253).optional() }),
    [{}, example],
    description,
  );

export const image = (repository: string, tag = ''): Section =>
  section('Image; the digest takes precedence over the tag.', {
    repository: text([repository, `team/${repository}`], 'Repository, after imageRegistry.'),
    tag: text([tag, '9.9.9'], tag === '' ? 'Tag; empty: the version of the chart.' : 'Tag.'),
    digest: leaf(
      z.string().regex(/^(sha256:[0-9a-f]{64})?$/),
      ['', `sha256:${'a'.repeat(64)}`],
      'Digest of the image, sha256: and 64 hexadecimal digits; pods then run exactly this image, whatever the tag.',
    ),
    pullPolicy: choice(
      ['IfNotPresent', 'Always', 'Never'],
      ['IfNotPresent', 'Always'],
      'When the node pulls the image.',
    ),
  });

export const resources = (requests: Readonly<Record<string, string>>, memoryLimit: string) =>
  objectOf(
    { requests, limits: { memory: memoryLimit } },
    { requests: { cpu: '2' } },
    'Compute resources of the container.',
  );

/** Members of ours that a user leaves out are kept; null removes one. */
export const podSecurityContext = objectOf(
  { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  { fsGroupChangePolicy: 'OnRootMismatch' },
  'Security context of the pods, merged with these defaults and with runAsUser; null removes a member.',
);

export const containerSecurityContext = objectOf(
  { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
  { appArmorProfile: { type: 'RuntimeDefault' } },
  'Security context of the container, merged with these defaults; null removes a member.',
);
