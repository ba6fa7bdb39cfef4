import { fileURLToPath } from 'node:url';
import { bundleFile } from '../../../../images/bundle.ts';

/** Writes the gateway as one file, the way its image holds it. */
export const bundleGatehouse = (file: string): Promise<void> =>
  bundleFile(fileURLToPath(new URL('./main.ts', import.meta.url)), file);
