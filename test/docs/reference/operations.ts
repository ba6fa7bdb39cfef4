/** Which providers offer which operations. */
import { code, page, table } from '@gatehouse/crds/gen';
import { ADAPTERS, createAdapters } from '../../../gateway/src/pipeline/adapters/index.ts';
import { callOf, type Operation } from '../../../gateway/src/pipeline/operations/operation.ts';
import { OPERATIONS } from '../../../gateway/src/pipeline/operations/register.ts';
import type { Provider } from '../../../gateway/src/providers/contract.ts';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';

interface Offered {
  readonly id: string;
  readonly call: string;
  /** Ids of the providers that declare it as an endpoint. */
  readonly providers: readonly string[];
  /** Ids of those that have it by an adapter, for some of their models or for all. */
  readonly adapted: readonly string[];
}

const adapters = createAdapters(ADAPTERS);

function adaptedFor({ id, handler }: Operation): readonly string[] {
  const isAdapted = (provider: Provider): boolean => {
    const own = handler.endpointOf(provider);
    return (own === undefined || own.supports !== undefined) && adapters.find(id, provider) !== undefined;
  };
  return [...PROVIDERS.values()].filter(isAdapted).map((provider) => provider.id);
}

function offeredOperations(): readonly Offered[] {
  return Object.values<Operation>(OPERATIONS).flatMap((operation) => {
    const { id, handler, promptAs, answerLocally } = operation;
    const offering = [...PROVIDERS.values()].filter((provider) => handler.endpointOf(provider) !== undefined);
    if (offering.length === 0 || promptAs !== undefined || answerLocally !== undefined) return [];
    return [
      {
        id,
        call: callOf(operation),
        providers: offering.map((provider) => provider.id).sort(),
        adapted: adaptedFor(operation),
      },
    ];
  });
}

/** Adapters serve every provider that has their endpoint. */
function othersOf(operation: string): string {
  const endpoints = ADAPTERS.filter((adapter) => adapter.operation === operation).map(({ endpoint }) => code(endpoint));
  return endpoints.length === 0 ? '' : `all other providers and models with ${endpoints.join(' or ')}`;
}

export function operationsPage(): string {
  const operations = offeredOperations();
  return page('Operations', [
    'Which providers offer an operation in a format that the gateway knows. Another provider answers it with 400 ' +
      '`operation_unsupported`, unless an adapter serves it. Every other path is passed on as it is, within ' +
      'the [paths of proxied calls](proxy-paths.md).',
    '## Providers by operation',
    table(
      ['operation', 'name in policies, logs and metrics', 'offered by', 'adapted for'],
      operations.map(({ call, id, providers }) => [code(call), code(id), providers.map(code).join(', '), othersOf(id)]),
    ),
    '## Operations by provider',
    table(
      ['provider', 'offers', 'has by an adapter'],
      [...PROVIDERS.keys()].sort().map((provider) => {
        const offered = operations.filter(({ providers }) => providers.includes(provider)).map(({ id }) => code(id));
        const others = operations.filter(({ adapted }) => adapted.includes(provider)).map(({ id }) => code(id));
        return [code(provider), offered.length === 0 ? 'proxied calls alone' : offered.join(', '), others.join(', ')];
      }),
    ),
  ]);
}
