/** The page on tests of guardrails: what it shows is what the command prints. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, ROOT } from '../documents.ts';
import { openCheckout } from './shell.ts';

test('the output on the page is that of its cases', async () => {
  const page = blocksOf('docs/guide/guardrail-tests.md');
  const [cases] = page.filter(({ language }) => language === 'yaml');
  const [shown] = page.filter(({ language, text }) => language === 'text' && text.startsWith('$ '));
  const [command = '', ...output] = (shown?.text ?? '').trimEnd().split('\n');
  using checkout = await openCheckout();
  writeFileSync(join(checkout.folder, 'cases.yaml'), cases?.text ?? '');
  copyFileSync(join(ROOT, 'docs/guide/guardrail-tests/guardrail.yaml'), join(checkout.folder, 'guardrail.yaml'));
  const { status, out } = await checkout.run(command.slice(2));
  expect([status, out.trimEnd().split('\n')]).toEqual([0, output]);
});
