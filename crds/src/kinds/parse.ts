import { DEFAULT_TARGET_CAPS } from '../config/index.ts';
import { brokenTextAt } from '../lib/broken-text.ts';
import { isDeeperThan, MAX_DOCUMENT_DEPTH } from '../lib/depth.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { fromZodError, type Issue } from '../schema/index.ts';
import type { AnyKind, CheckKindOptions, Resource } from './parts/index.ts';
import { type AnyResource, KINDS, type KindName, type ResourceOf } from './registry.ts';
import { unsupportedFields } from './unsupported.ts';

const NO_TEXT = 'has a character that is no text: U+0000, or half of a surrogate pair';
const DEFAULT_OPTIONS: CheckKindOptions = { caps: DEFAULT_TARGET_CAPS };

/**
 * Parses a resource and fills in all defaults, or returns every issue: shape, rules, checks across fields, and fields that this
 * version does not serve (code `unsupported`). Paths begin at the resource: `spec.targets[0]`. References to other objects
 * are not checked.
 */
export function parseResource<K extends KindName>(
  kind: K,
  value: unknown,
  options: CheckKindOptions = DEFAULT_OPTIONS,
): Result<ResourceOf<K>, readonly Issue[]> {
  if (isDeeperThan(value, MAX_DOCUMENT_DEPTH)) {
    return err([{ code: 'invalid', path: [], message: `at most ${MAX_DOCUMENT_DEPTH} levels of nesting` }]);
  }
  const broken = brokenTextAt(value);
  if (broken !== undefined) return err([{ code: 'invalid', path: broken, message: NO_TEXT }]);
  const { resource: schema } = KINDS[kind];
  const parsed = schema.safeParse(value);
  if (!parsed.success) return err(fromZodError(parsed.error, { schema, value }));
  const resource = parsed.data as ResourceOf<K>; // the schema of a Kind gives resources of that Kind
  const issues = checkResource(resource, options);
  return issues.length === 0 ? ok(resource) : err(issues);
}

/** The issues of a parsed resource with fields that this version does not serve. */
export function unsupportedIn(resource: AnyResource): Issue[] {
  return checkResource(resource, DEFAULT_OPTIONS).filter(({ code }) => code === 'unsupported');
}

function checkResource(resource: Resource<KindName, unknown, unknown>, options: CheckKindOptions): Issue[] {
  const kind: AnyKind = KINDS[resource.kind];
  return [...(kind.check?.(resource, options) ?? []), ...unsupportedFields(resource.kind, resource)];
}
