/** The token that the directory calls with. */
import { createHash, randomBytes } from 'node:crypto';
import { scimToken } from '@gatehouse/crds/rest';
import { directoryOf } from '../../people/index.ts';
import { type BoundOperation, serveOperation } from '../family.ts';
import { absent } from '../write.ts';

const WHAT = 'SCIM token';
const NAME = 'default';
const BYTES = 32;

const state = (sha256: string): string => sha256.slice(0, 8);

export const SCIM_TOKEN: readonly BoundOperation[] = [
  serveOperation(scimToken.get, async (_, services) => {
    const row = await directoryOf(services).use((queries) =>
      queries.selectFrom('scim_tokens').selectAll().where('name', '=', NAME).executeTakeFirst(),
    );
    if (row === undefined) throw absent(WHAT);
    return { object: 'scim_token' as const, created_at: row.created_at.toISOString(), created_by: row.created_by };
  }),
  serveOperation(scimToken.create, async ({ caller }, services) => {
    const token = `gws_${randomBytes(BYTES).toString('base64url')}`;
    const sha256 = createHash('sha256').update(token).digest('hex');
    const created_at = new Date(services.now());
    const row = { sha256, created_at, created_by: caller.keyId };
    const before = await directoryOf(services).use((queries) =>
      queries.transaction().execute(async (transaction) => {
        const present = await transaction
          .selectFrom('scim_tokens')
          .select('sha256')
          .where('name', '=', NAME)
          .forUpdate()
          .executeTakeFirst();
        await transaction
          .insertInto('scim_tokens')
          .values({ name: NAME, ...row })
          .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
          .execute();
        return present;
      }),
    );
    const action = before === undefined ? 'create' : 'update';
    services.note?.({
      ...{ kind: 'ScimToken', object: NAME, action },
      ...{ before: before === undefined ? null : { hash: state(before.sha256) }, after: { hash: state(sha256) } },
    });
    return { object: 'scim_token' as const, token, created_at: created_at.toISOString() };
  }),
  serveOperation(scimToken.delete, async (_, services) => {
    const gone = await directoryOf(services).use((queries) =>
      queries.deleteFrom('scim_tokens').where('name', '=', NAME).returning('sha256').executeTakeFirst(),
    );
    if (gone === undefined) throw absent(WHAT);
    const before = { hash: state(gone.sha256) };
    services.note?.({ kind: 'ScimToken', object: NAME, action: 'delete', before, after: null });
    return { success: true };
  }),
];
