// Opens the store in a folder and holds it until it is killed or its input ends.
import { openStores } from '../../dist/storage/stores.js';

try {
  const stores = await openStores(process.argv[2]);
  process.stdout.write('open\n');
  process.stdin.resume().on('end', () => stores.close());
} catch (error) {
  process.stdout.write(`${error.code}: ${error.message}\n`);
}
