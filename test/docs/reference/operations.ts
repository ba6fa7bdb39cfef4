/** Which providers offer which operations. */
import { code, page, table } from '@gatehouse/crds/gen';
import { callOf, type Operation } from '../../../gateway/src/pipeline/operations/operation.ts';
import { OPERATIONS } from '../../../gateway/src/pipeline/operations/register.ts';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';

interface Offered {
  readonly id: string;
  readonly call: string;
  /** Ids of the providers that declare it as an endpoint. */
  readonly providers: readonly string[];
}

function offeredOperations(): readonly Offered[] {
  return Object.values<Operation>(OPERATIONS).flatMap((operation) => {
    const { id, handler, promptAs, answerLocally } = operation;
    const offering = [...PROVIDERS.values()].filter((provider) => handler.endpointOf(provider) !== undefined);
    if (offering.length === 0 || promptAs !== undefined || answerLocally !== undefined) return [];
    return [{ id, call: callOf(operation), providers: offering.map((provider) => provider.id).sort() }];
  });
}

export function operationsPage(): string {
  const operations = offeredOperations();
  return page('Operations', [
    'Which providers offer an operation in a format that the gateway knows. Another provider answers it with 400 ' +
      '`operation_unsupported`, unless an adapter serves it. Every other path is passed on as it is, within ' +
      'the [paths of proxied calls](proxy-paths.md).',
    '## Providers by operation',
    table(
      ['operation', 'name in policies, logs and metrics', 'offered by'],
      operations.map(({ call, id, providers }) => [code(call), code(id), providers.map(code).join(', ')]),
    ),
    '## Operations by provider',
    table(
      ['provider', 'offers'],
      [...PROVIDERS.keys()].sort().map((provider) => {
        const offered = operations.filter(({ providers }) => providers.includes(provider)).map(({ id }) => code(id));
        return [code(provider), offered.length === 0 ? 'proxied calls alone' : offered.join(', ')];
      }),
    ),
  ]);
}
