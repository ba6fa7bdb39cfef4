import type { RestClient } from '../../rest-client/index.ts';
import { toPrintable } from '../../terminal/index.ts';
import type { Invocation } from '../command.ts';
import { UsageError } from '../shell.ts';

/** One row with its request and its answer, as JSON. */
export async function show({ shell, options, operands }: Invocation, client: RestClient): Promise<number> {
  const [id, ...more] = operands;
  if (id === undefined || more.length > 0) throw new UsageError('show takes one ID');
  const query = { workspace_id: options['workspace'] };
  const log = await client.call('GET', `/logs/${encodeURIComponent(id)}`, { query });
  for (const line of JSON.stringify(log, null, 2).split('\n')) shell.out(shell.interactive ? toPrintable(line) : line);
  return 0;
}
