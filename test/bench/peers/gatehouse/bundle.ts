import { fileURLToPath } from 'node:url';
import { bundleFile } from '../../../../images/bundle.ts';

/** Writes the gateway as one file, the way its image holds it. */
export async function bundleGatehouse(file: string): Promise<void> {
  await bundleFile(fileURLToPath(new URL('./main.ts', import.meta.url)), file);
}
