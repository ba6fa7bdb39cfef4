/**
 * PostgreSQL as an image of Debian's package, for clusters that cannot pull one. It takes the variables of the official image that the
 * chart sets: POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB, POSTGRES_INITDB_ARGS and PGDATA.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage, entriesOf, entriesOfFolder, type TarEntry, withFolders, writeLayer } from './oci/index.ts';
import {
  busyboxLinks,
  debianTree,
  IMAGE_USER,
  intoUsr,
  isLibrary,
  mergedLinks,
  packageDatabase,
  packagesIn,
  releasePackages,
} from './rootfs/index.ts';

export const POSTGRES_IMAGE = 'localhost/gatehouse-postgres:dev';

/** Of Debian 12. */
const VERSION = '15';
/** The server, its tools and their libraries (ldd); initdb starts the server through a shell. */
const PACKAGES = [
  ...[`postgresql-${VERSION}`, 'tzdata', 'busybox', 'libc6', 'libpq5', 'libssl3', 'libxml2', 'libicu72', 'libpam0g'],
  ...['libgssapi-krb5-2', 'libkrb5-3', 'libk5crypto3', 'libkrb5support0', 'libcom-err2', 'libkeyutils1'],
  ...['libldap-2.5-0', 'libsasl2-2', 'libgnutls30', 'libp11-kit0', 'libidn2-0', 'libunistring2', 'libtasn1-6'],
  ...['libnettle8', 'libhogweed6', 'libgmp10', 'libffi8', 'libstdc++6', 'libgcc-s1', 'zlib1g', 'liblz4-1', 'libzstd1'],
  ...['liblzma5', 'libsystemd0', 'libcap2', 'libgcrypt20', 'libgpg-error0', 'libaudit1', 'libcap-ng0'],
];
const PROGRAMS = `usr/lib/postgresql/${VERSION}/bin`;
const ENTRYPOINT = '/usr/bin/start-postgres';

/** Makes the data folder on the first start. */
const START = `#!/bin/sh
set -eu
mkdir -p "$PGDATA"
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  umask 077
  printf '%s\\n' "$POSTGRES_PASSWORD" > /tmp/password
  initdb -D "$PGDATA" --username="$POSTGRES_USER" --pwfile=/tmp/password $POSTGRES_INITDB_ARGS
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  echo "create database \\"$POSTGRES_DB\\"" | postgres --single -D "$PGDATA" postgres
fi
exec postgres -D "$PGDATA" -c 'listen_addresses=*' "$@"
`;

/** Writes the archive of the image; returns its path. */
export async function buildPostgresArchive(folder: string, name: string = POSTGRES_IMAGE): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'gatehouse-postgres-image-'));
  try {
    const base = [await writeLayer(join(scratch, 'root.tar'), await postgresEntries())];
    const user = `${IMAGE_USER}:${IMAGE_USER}`;
    const env = { PATH: `/${PROGRAMS}:/usr/bin`, PGDATA: '/data/postgres' };
    // SIGTERM would wait until the last client has gone.
    return await buildImage({ name, base, entrypoint: [ENTRYPOINT], env, user, stopSignal: 'SIGINT' }, folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function postgresEntries(): Promise<TarEntry[]> {
  const tree = await debianTree(PACKAGES);
  const packages = [...(await packagesIn(tree)), ...(await releasePackages())];
  const unpacked = (await entriesOfFolder(tree)).filter(({ type }) => type !== 'folder').map(intoUsr);
  return withFolders([
    ...mergedLinks(),
    ...unpacked.filter(({ path }) => isKept(path)),
    ...busyboxLinks(tree),
    ...(await packageDatabase(packages)),
    ...entriesOf({
      '/etc/passwd': `root:x:0:0:root:/root:/sbin/nologin\npostgres:x:${IMAGE_USER}:${IMAGE_USER}::/:/sbin/nologin\n`,
      '/etc/group': `root:x:0:\npostgres:x:${IMAGE_USER}:\n`,
      [ENTRYPOINT]: { content: START, mode: 0o755 },
    }),
    { path: 'data', type: 'folder', mode: 0o777 },
    { path: 'var/run/postgresql', type: 'folder', mode: 0o777 },
    { path: 'tmp', type: 'folder', mode: 0o1777 },
  ]);
}

/** Without the compiler of queries, whose libraries are not in the image: the server does without it when the file is not there. */
const isKept = (path: string): boolean =>
  !path.includes('llvmjit') &&
  (isLibrary(path) ||
    path === 'usr/bin/busybox' ||
    path.endsWith('/copyright') ||
    ['initdb', 'postgres', 'pg_isready'].some((program) => path === `${PROGRAMS}/${program}`) ||
    (path.startsWith(`usr/share/postgresql/${VERSION}/`) && !path.includes('/man/') && !path.includes('/locale/')) ||
    /^usr\/share\/zoneinfo\/(Etc\/)?(UTC|GMT)$/.test(path));
