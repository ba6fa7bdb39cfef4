/** The reference page of the routing config in both spellings. */
import {
  DEFAULT_TARGET_CAPS,
  kindConfig,
  MAX_CONFIG_DEPTH,
  MAX_PATTERN_LENGTH,
  MAX_QUERY_DEPTH,
  toSnake,
} from '../../src/config/index.ts';
import { toStructural } from '../structural.ts';
import { fieldRows } from './fields.ts';
import { code, page, table } from './markdown.ts';

/** Members that exist in one slot only. */
const KIND_ONLY = /^(secretRef|settings)\b/;

const toInline = (path: string): string => path.split('.').map(toSnake).join('.');

const { schema: structuralConfig } = toStructural(kindConfig, '', { levels: 0 });

/** The page of the config grammar. */
export function configPage(): string {
  const rows = fieldRows(structuralConfig, '').map(({ path, type, required, description }) => [
    code(path),
    KIND_ONLY.test(path) ? '' : code(toInline(path)),
    type,
    required ? 'yes' : '',
    description,
  ]);
  const { rootTargets, conditionalRootTargets, nestedTargets } = DEFAULT_TARGET_CAPS;
  return page('Routing config', [
    'The same object is used in `GatewayConfig.spec.config`, in the body of `/v1/configs` and, as JSON, in the `x-gw-config` header. ' +
      'Resources use camelCase; inline configs may use either spelling at every typed member. Members marked `any` are kept as they are.',
    table(['resource', 'inline', 'type', 'required', 'meaning'], rows),
    'Inline only: `api_key`, the literal credential; every member not listed ' +
      'here is a field of the provider, named as in [providers](providers.md).',
    '## Limits',
    table(
      ['what', 'at most'],
      [
        ['targets at the root', `${rootTargets} (\`MAX_ROOT_CONFIG_TARGETS\`)`],
        [
          'targets at the root, mode conditional',
          `${conditionalRootTargets} (\`MAX_CONDITIONAL_ROOT_CONFIG_TARGETS\`)`,
        ],
        ['targets below each root target, in all', `${nestedTargets} (\`MAX_NESTED_CONFIG_TARGETS\`)`],
        ['levels of targets', String(MAX_CONFIG_DEPTH)],
        ['levels of `$and` and `$or`', String(MAX_QUERY_DEPTH)],
        ['characters of a pattern', String(MAX_PATTERN_LENGTH)],
      ],
    ),
    '## What targets take from their parent',
    table(
      ['member', 'rule'],
      [
        ['`overrideParams`, `defaultParams`', 'merged key by key, the target wins'],
        ['`dropParams`, `retry`, `cache`', "the target's own replace the parent's whole"],
        [
          '`requestTimeout`, `customHost`, `forwardHeaders`, `strictOpenAiCompliance`, `unsupportedParams`',
          "the target's own, else the parent's",
        ],
        ['guardrails, mutators and hooks', 'a target that has any replaces all of the same direction'],
        ['`strategy.cbConfig`', 'reaches nested strategies that have none of their own, except below mode conditional'],
        ['all others', 'not inherited'],
      ],
    ),
    '## Conditions',
    'A query is an object whose entries must all hold; `{}` always holds. A path is `metadata.KEY`, `params.KEY` or `url.pathname`.',
    table(
      ['entry', 'holds when'],
      [
        [code('path: value'), 'the value is equal, without conversion'],
        ['`$eq`, `$ne`', 'the value is equal, or not; a missing value is not equal'],
        ['`$gt`, `$gte`, `$lt`, `$lte`', 'both sides read as numbers compare so'],
        ['`$in`, `$nin`', 'the value is, or is not, in the list'],
        ['`$regex`', 'the RE2 pattern is found in the text; not anchored, case-sensitive'],
        ['`$and`, `$or`', 'all, or one, of the listed queries hold'],
      ],
    ),
    '## Paths of dropParams',
    '`a.b` removes a member, `a[2]` an item, `a[*].b` a member of every item. A path that does not exist is ignored.',
  ]);
}
