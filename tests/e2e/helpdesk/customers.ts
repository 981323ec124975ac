import { Arg, Complete, defineModule, Param, Resource, Service, Tool } from '@sigil/core';
import { IsInt, IsString } from 'class-validator';
import { CustomerRepository } from './customer-repository.js';
import { Roles } from './roles.js';

export class Customer {
  @IsInt()
  id!: number;

  @IsString()
  name!: string;
}

@Service()
class CustomerTools {
  constructor(private readonly customers: CustomerRepository) {}

  @Tool({ description: 'Finds customers by a part of their name', readOnly: true, output: [Customer] })
  findCustomers(@Arg('name') name: string): Promise<Customer[]> {
    return this.customers.find(name);
  }

  @Tool({ description: 'Adds a customer', output: Customer })
  @Roles('agent')
  addCustomer(@Arg('name', { minLength: 1 }) name: string): Promise<Customer> {
    return this.customers.add(name);
  }

  @Resource('customers://{id}', { description: 'One customer' })
  customer(@Param('id') id: number): Promise<Customer | undefined> {
    return this.customers.get(id);
  }

  @Complete('customers://{id}', 'id')
  async ids(prefix: string): Promise<string[]> {
    const all = await this.customers.find('');
    return all.map(({ id }) => String(id)).filter((id) => id.startsWith(prefix));
  }
}

export const customers = defineModule({ prefix: 'crm', services: [CustomerTools] });
