# Starts the slot that it came with: comes and goes with the slot's boot image, so an update may change how a board is started. boot.cmd runs it, with
# devtype, devnum, boot_part and slot. What is between @ comes from the board's board.conf. Where it returns, the slot did not start.
if load ${devtype} ${devnum}:${boot_part} @KERNEL_ADDRESS@ Image && load ${devtype} ${devnum}:${boot_part} @RAMDISK_ADDRESS@ initrd.img; then
  # A kernel that stops before its first process does restarts: by its own hand, or by the watchdog's. A break on the serial line does nothing
  # from the first process on.
  setenv bootargs "@CONSOLE@ quiet loglevel=4 panic=10 oops=panic sysctl.kernel.sysrq=0 watchdog.open_timeout=60 fbcon=map:9 gatehouse.slot=${slot} @ARGUMENTS@"
  if test -n "${fdt_addr}"; then setenv tree ${fdt_addr}; else setenv tree ${fdtcontroladdr}; fi
  booti @KERNEL_ADDRESS@ @RAMDISK_ADDRESS@:${filesize} ${tree}
fi
