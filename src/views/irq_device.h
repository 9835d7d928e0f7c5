/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of one device, "eth0-rx-0" and "eth0-rx-1", and whether one CPU takes them all. */
#ifndef VIEWS_IRQ_DEVICE_H
#define VIEWS_IRQ_DEVICE_H

#include "views/irq_sums.h"

#define IRQ_DEVICE_BYTES 64

struct irq_device {
	char name[IRQ_DEVICE_BYTES];
	unsigned cpu;
	uint64_t count;	  /* of its interrupts; 0: there is no such device */
	double share;	  /* of the CPU's time, by its handlers */
	int affinity;	  /* string: of a line of it that may come elsewhere */
	double net_share; /* of the CPU's time, by NET_RX, if it has reason to be this device's: see below */
	double net_part;  /* of all CPUs' NET_RX */
};

/* "eth0" of "eth0-rx-0", "nvme0" of "nvme0q1", "virtio0" of "virtio0-input.0". Returns `buf`. */
char *irq_device_name(char buf[IRQ_DEVICE_BYTES], const char *action);

/*
 * Of the devices of which all interrupts come on one CPU, though a line of it is allowed on others: that which costs
 * most. NET_RX is counted with it where it runs on that CPU almost alone, is raised by hard IRQs there, and no other
 * device comes near the device in interrupts there. 0 or -ENOMEM.
 */
int irq_device_busiest(struct irq_device *device, const struct irq_sums *s);

#endif
