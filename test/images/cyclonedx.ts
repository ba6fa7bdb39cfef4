/** The members of CycloneDX 1.6 that our bills have: closed, so that an unknown member is an error. */
import { z } from 'zod';

const LENGTHS: Readonly<Record<string, number>> = { 'SHA-256': 64, 'SHA-512': 128 };

const hash = z
  .strictObject({ alg: z.enum(['SHA-256', 'SHA-512']), content: z.string().regex(/^[0-9a-f]+$/) })
  .refine(({ alg, content }) => content.length === LENGTHS[alg], 'a digest of another length');

const ref = z.string().min(1);

const component = z.strictObject({
  type: z.enum(['application', 'framework', 'library', 'container', 'platform', 'operating-system', 'file']),
  'bom-ref': ref,
  name: z.string().min(1),
  version: z.string().min(1).max(1024),
  purl: z
    .string()
    .regex(/^pkg:(npm|deb)\/(%40?[a-z0-9._-]+\/|debian\/)?[A-Za-z0-9._%+-]+@[A-Za-z0-9._%~-]+(\?arch=[a-z0-9]+)?$/)
    .optional(),
  hashes: z.array(hash).min(1).optional(),
  licenses: z
    .array(z.strictObject({ expression: z.string().regex(/^[A-Za-z0-9.+() -]+$/) }))
    .max(1)
    .optional(),
});

const dependency = z.strictObject({ ref, dependsOn: z.array(ref) });

export const bill = z
  .strictObject({
    $schema: z.literal('http://cyclonedx.org/schema/bom-1.6.schema.json'),
    bomFormat: z.literal('CycloneDX'),
    specVersion: z.literal('1.6'),
    serialNumber: z.string().regex(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
    version: z.int().min(1),
    metadata: z.strictObject({ component }),
    components: z.array(component),
    dependencies: z.array(dependency),
  })
  .superRefine(({ metadata, components, dependencies }, context) => {
    const refs = [metadata.component, ...components].map((part) => part['bom-ref']);
    if (new Set(refs).size < refs.length) context.addIssue('a bom-ref stands twice');
    const named = dependencies.flatMap(({ ref: of, dependsOn }) => [of, ...dependsOn]);
    for (const name of named) if (!refs.includes(name)) context.addIssue(`there is no component ${name}`);
    if (new Set(dependencies.map(({ ref: of }) => of)).size < dependencies.length)
      context.addIssue('a ref stands twice');
  });
