import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Writes the gateway as one file, the way its image holds it. */
export async function bundleGatehouse(file: string): Promise<void> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('./main.ts', import.meta.url)),
    platform: 'node',
    resolve: { conditionNames: ['@gatehouse/source', 'node', 'import', 'default'] },
    logLevel: 'silent',
  });
  try {
    await bundle.write({ file, format: 'esm', codeSplitting: false });
  } finally {
    await bundle.close();
  }
}
