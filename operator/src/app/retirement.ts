/** One run that ends all sidecars, before the operator itself is removed. */
import { clusterSourceOf, type OperatorOptions } from '../config/index.ts';
import { retire } from '../retirement/index.ts';
import { createKubeClient, type Log } from '../runtime/index.ts';

/** The hook of the chart leaves time for a second run within the 120 s of an uninstallation. */
const RETIRE_MS = 40_000;

/** Namespaces whose copies are left: none when all is done. */
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
