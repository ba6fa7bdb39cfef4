/** Runs once before an uninstallation: ends all sidecars. */
import { clusterSourceOf, type OperatorOptions } from '../config/index.ts';
import { retire } from '../retirement/index.ts';
import { createKubeClient, type Log } from '../runtime/index.ts';

/** The chart's hook leaves time for a second run within the 120 s of an uninstallation. */
const RETIRE_MS = 40_000;

/** Returns the namespaces that still have copies: none when all is done. */
export async function runRetirement(
  options: OperatorOptions,
  log: Log,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { organisationNamespace, leaseName, namespaces } = options;
  await using client = await createKubeClient({ source: clusterSourceOf(options), userAgent: 'gatehouse-retirement' });
  return await retire({
    ...{ client, leaseName, namespaces, log },
    namespace: organisationNamespace,
    signal: AbortSignal.any([signal, AbortSignal.timeout(RETIRE_MS)]),
  });
}
