/* The types of the MPI standard that are the same in every ABI that libmprof knows. The handle
 * types, MPI_Status and the constants come from a generated abi_FAMILY.h, which is included first.
 * Callbacks are only passed on, so their type does not matter. */
#ifndef MPROF_MPI_TYPES_H
#define MPROF_MPI_TYPES_H

typedef long MPI_Aint;
typedef long long MPI_Offset;
typedef long long MPI_Count;
typedef int MPI_Fint;
typedef void MPI_F08_status;

typedef struct MPI_T_enum_object *MPI_T_enum;
typedef struct MPI_T_cvar_handle_object *MPI_T_cvar_handle;
typedef struct MPI_T_pvar_handle_object *MPI_T_pvar_handle;
typedef struct MPI_T_pvar_session_object *MPI_T_pvar_session;
typedef struct MPI_T_event_registration_object *MPI_T_event_registration;
typedef struct MPI_T_event_instance_object *MPI_T_event_instance;
typedef int MPI_T_cb_safety;
typedef int MPI_T_source_order;

typedef void mpi_callback(void);
typedef mpi_callback MPI_Comm_copy_attr_function;
typedef mpi_callback MPI_Comm_delete_attr_function;
typedef mpi_callback MPI_Comm_errhandler_function;
typedef mpi_callback MPI_Copy_function;
typedef mpi_callback MPI_Datarep_conversion_function;
typedef mpi_callback MPI_Datarep_conversion_function_c;
typedef mpi_callback MPI_Datarep_extent_function;
typedef mpi_callback MPI_Delete_function;
typedef mpi_callback MPI_File_errhandler_function;
typedef mpi_callback MPI_Grequest_cancel_function;
typedef mpi_callback MPI_Grequest_free_function;
typedef mpi_callback MPI_Grequest_query_function;
typedef mpi_callback MPI_Handler_function;
typedef mpi_callback MPI_Session_errhandler_function;
typedef mpi_callback MPI_T_event_cb_function;
typedef mpi_callback MPI_T_event_dropped_cb_function;
typedef mpi_callback MPI_T_event_free_cb_function;
typedef mpi_callback MPI_Type_copy_attr_function;
typedef mpi_callback MPI_Type_delete_attr_function;
typedef mpi_callback MPI_User_function;
typedef mpi_callback MPI_User_function_c;
typedef mpi_callback MPI_Win_copy_attr_function;
typedef mpi_callback MPI_Win_delete_attr_function;
typedef mpi_callback MPI_Win_errhandler_function;

#endif
