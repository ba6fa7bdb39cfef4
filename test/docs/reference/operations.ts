/** Which providers offer which operations, and how. */
import { code, page, table } from '@gatehouse/crds/gen';
import { ADAPTERS, createAdapters } from '../../../gateway/src/pipeline/adapters/index.ts';
import { callOf, endpointOf, type Operation } from '../../../gateway/src/pipeline/operations/operation.ts';
import { OPERATIONS } from '../../../gateway/src/pipeline/operations/register.ts';
import type { Endpoint, Provider } from '../../../gateway/src/providers/contract.ts';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';

const OFFERS = ['passed on', 'mapped', 'adapted'] as const;
type Offer = (typeof OFFERS)[number];

interface Offered {
  readonly id: string;
  readonly call: string;
  /** How each provider that offers it does so. */
  readonly offers: ReadonlyMap<string, Offer>;
  /** Providers that offer it for some models alone. */
  readonly partly: ReadonlySet<string>;
}

function offeredOperations(): readonly Offered[] {
  const adapters = createAdapters(ADAPTERS);
  return Object.values<Operation>(OPERATIONS).flatMap((operation) => {
    const { id, handler, promptAs, answerLocally, mayBeOwn } = operation;
    const providers = [...PROVIDERS.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const isAdapted = (provider: Provider): boolean => adapters.find(id, provider) !== undefined;
    const offers = new Map(
      providers.flatMap((provider) => {
        const offer =
          offerOf(endpointOf(operation, provider).endpoint) ??
          handler.procedureOf?.(provider)?.offer ??
          (isAdapted(provider) ? 'adapted' : undefined);
        return offer === undefined ? [] : [[provider.id, offer] as const];
      }),
    );
    const partly = providers.filter((provider) => {
      const adapter = adapters.find(id, provider);
      const own = endpointOf(operation, provider).endpoint ?? handler.procedureOf?.(provider);
      const servedForAll = own !== undefined && own.supports === undefined;
      const endpoint = adapter === undefined ? own : provider.endpoints[adapter.endpoint];
      return !servedForAll && endpoint?.supports !== undefined;
    });
    if (offers.size === 0 || promptAs !== undefined) return [];
    if (answerLocally !== undefined && mayBeOwn !== true) return [];
    return [{ id, call: callOf(operation), offers, partly: new Set(partly.map((provider) => provider.id)) }];
  });
}

function offerOf(endpoint: Endpoint | undefined): Offer | undefined {
  if (endpoint === undefined) return undefined;
  return endpoint.request.kind === 'write' || endpoint.answer.kind === 'read' ? 'mapped' : 'passed on';
}

export function operationsPage(): string {
  const operations = offeredOperations();
  const named = ({ offers, partly }: Offered, wanted: Offer): string =>
    [...offers]
      .filter(([, offer]) => offer === wanted)
      .map(([provider]) => code(provider) + (partly.has(provider) ? '\\*' : ''))
      .join(', ');
  return page('Operations', [
    'Which providers offer an operation, and how. Passed on: the provider has the format of the client, whose bytes go through but ' +
      'for declared changes. Mapped: requests or answers are written anew in its own format. Adapted: served by another operation. ' +
      'A star: for some models alone. Any other provider answers with 400 `operation_unsupported`. Every other path is passed on as ' +
      'it is, within the [paths of proxied calls](proxy-paths.md).',
    '## Providers by operation',
    table(
      ['operation', 'name in policies, logs and metrics', ...OFFERS],
      operations.map((operation) => [
        code(operation.call),
        code(operation.id),
        ...OFFERS.map((offer) => named(operation, offer)),
      ]),
    ),
    '## Operations by provider',
    table(
      ['provider', ...OFFERS],
      [...PROVIDERS.keys()].sort().map((provider) => {
        const offered = OFFERS.map((offer) =>
          operations
            .filter(({ offers }) => offers.get(provider) === offer)
            .map(({ id, partly }) => code(id) + (partly.has(provider) ? '\\*' : ''))
            .join(', '),
        );
        return [code(provider), ...(offered.join('') === '' ? ['proxied calls alone', '', ''] : offered)];
      }),
    ),
  ]);
}
