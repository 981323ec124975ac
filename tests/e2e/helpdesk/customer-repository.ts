import { Service } from '@sigil/core';
import type { Customer } from './customers.js';
import { Database } from './database.js';

@Service()
export class CustomerRepository {
  constructor(private readonly database: Database) {}

  async add(name: string): Promise<Customer> {
    const [added] = await this.database.rows<Customer>(
      'insert into customers (name) values ($1) returning id, name',
      [name],
    );
    if (!added) throw new Error('the database returned no row');
    return added;
  }

  async get(id: number): Promise<Customer | undefined> {
    const [found] = await this.database.rows<Customer>('select id, name from customers where id = $1', [id]);
    return found;
  }

  find(name: string): Promise<Customer[]> {
    const pattern = `%${name}%`;
    return this.database.rows('select id, name from customers where name ilike $1 order by id', [pattern]);
  }
}
