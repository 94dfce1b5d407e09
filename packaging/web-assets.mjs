// Compares the files of others that a folder keeps with the npm packages that its manifest.json names, byte for byte;
// with RENEW=1 it writes them and their digests anew. Called by make web-assets: FOLDER, and where to download to.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [folder, downloads] = process.argv.slice(2).map((path) => resolve(path));
const renew = Boolean(process.env.RENEW);
const manifest = join(folder, 'manifest.json');
const packages = JSON.parse(readFileSync(manifest, 'utf8'));
const faults = [];

// unpacked downloads a package, and returns its folder and the digest that the registry has of it. npm compares them.
function unpacked({ package: name, version }) {
  const to = join(downloads, `${name}-${version}`);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const said = execFileSync('npm', ['pack', `${name}@${version}`, '--json', '--ignore-scripts', '--pack-destination', to],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const [{ filename, integrity }] = JSON.parse(said);
  execFileSync('tar', ['-xzf', join(to, filename), '-C', to]);
  return { root: join(to, 'package'), integrity };
}

for (const p of packages) {
  const { root, integrity } = unpacked(p);
  if (renew) p.integrity = integrity;
  if (p.integrity !== integrity) faults.push(`${p.package} ${p.version} is ${integrity}, the manifest has ${p.integrity}`);
  for (const file of p.files) {
    const theirs = readFileSync(join(root, file.from));
    const kept = join(folder, file.name);
    if (renew) {
      writeFileSync(kept, theirs);
      file.sha256 = createHash('sha256').update(theirs).digest('hex');
    }
    if (!readFileSync(kept).equals(theirs)) {
      faults.push(`${file.name} is not ${file.from} of ${p.package} ${p.version}: make web-assets RENEW=1 writes it anew`);
    }
  }
  console.log(`${p.package} ${p.version}: ${p.files.map((file) => file.name).join(', ')}`);
}
if (renew) writeFileSync(manifest, `${JSON.stringify(packages, null, 2)}\n`);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
